package io.stoker.dispatcher.coordinator.host;

import java.util.function.BooleanSupplier;

/**
 * The terms under which agents are registered: what they are granted and asked for.
 *
 * @param fleet whose agents are welcome
 * @param requireChallenge whether each hello is to answer a challenge
 * @param leaseMs how long an agent has its rights without being heard
 * @param heartbeatMs how often it is to be heard
 * @param inventoryMs how often it says all that it holds
 * @param sealedEvents whether events are believed that are signed together
 */
public record HostTerms(
    String fleet,
    boolean requireChallenge,
    long leaseMs,
    long heartbeatMs,
    long inventoryMs,
    BooleanSupplier sealedEvents) {}
