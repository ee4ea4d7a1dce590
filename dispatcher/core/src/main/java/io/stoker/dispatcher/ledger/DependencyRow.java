package io.stoker.dispatcher.ledger;

/** A dependency that is not settled yet. */
public record DependencyRow(String dependent, String dependsOn) {}
