package shop;

import org.springframework.mail.SimpleMailMessage;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;

@Component
class Confirmation {
    private final JavaMailSender mails;

    Confirmation(JavaMailSender mails) {
        this.mails = mails;
    }

    @TransactionalEventListener
    void confirm(OrderPlaced event) {
        SimpleMailMessage mail = new SimpleMailMessage();
        mail.setFrom("shop@example.com");
        mail.setTo(event.customer() + "@example.com");
        mail.setSubject("Your order of " + event.item());
        mail.setText("Thank you for order " + event.order() + ".");
        mails.send(mail);
    }
}
