package outbox.samples.shop.orders;

import jakarta.persistence.LockModeType;
import java.util.List;
import java.util.Optional;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Lock;

interface OrderRepository extends JpaRepository<Order, String> {
    /** Two events of one order may be handled at once; the second one waits. */
    @Lock(LockModeType.PESSIMISTIC_WRITE)
    Optional<Order> findLockedById(String id);

    /** Ids begin with the time, so this is the newest first. */
    List<Order> findAllByOrderByIdDesc(Limit limit);
}
