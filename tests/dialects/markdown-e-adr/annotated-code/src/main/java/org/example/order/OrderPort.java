package org.example.order;

/** The way from the domain to storage. Status: superseded is a value of an order, not of a record. */
@ADR(1)
public interface OrderPort {
    void store(Order order);
}
