/** A store for HSQLDB, written as a user would: outside the packages of the framework, with its public types only. */
@NullMarked
package com.example.outbox;

import org.jspecify.annotations.NullMarked;
