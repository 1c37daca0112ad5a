package shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

@Entity
@Table(name = "customers")
class Customer {
    @Id
    private String name;

    protected Customer() {} // for JPA

    Customer(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }
}
