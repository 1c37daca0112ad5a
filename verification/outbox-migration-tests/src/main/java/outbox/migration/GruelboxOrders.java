package outbox.migration;

import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;

// snippet: publish
public class GruelboxOrders {
    private final TransactionManager transactions;
    private final TransactionOutbox outbox;

    public GruelboxOrders(TransactionManager transactions, TransactionOutbox outbox) {
        this.transactions = transactions;
        this.outbox = outbox;
    }

    public void place(String orderId, String item) {
        transactions.inTransaction(() -> outbox.schedule(Mailer.class).confirm(orderId, item));
    }
}
// end
