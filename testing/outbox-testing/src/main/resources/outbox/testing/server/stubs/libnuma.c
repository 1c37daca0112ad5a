/* Stands in for libnuma.so.1: numa_available says no, after which nothing else is called. See README. */
#define NO (-1)

void *numa_all_nodes_ptr = 0;

int numa_available(void) { return NO; }

int numa_node_of_cpu(int cpu) { return NO; }

void *numa_alloc_local(unsigned long size) { return 0; }

void *numa_alloc_onnode(unsigned long size, int node) { return 0; }

void numa_free(void *memory, unsigned long size) {}

long mbind(void *start, unsigned long length, int mode, const unsigned long *nodes, unsigned long max, unsigned flags)
{
    return NO;
}

long set_mempolicy(int mode, const unsigned long *nodes, unsigned long max) { return NO; }
