package io.stoker.dispatcher.model;

/** A dependency that is not settled yet. */
public record DependencyRow(String dependent, String dependsOn) {}
