package io.stoker.dispatcher.experiment;

/** The request of a group with the best score. */
public record Best(String id, double score) {}
