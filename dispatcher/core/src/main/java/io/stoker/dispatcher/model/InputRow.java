package io.stoker.dispatcher.model;

/** A request on which a job depends: it is kept, with its result, until the job has ended. */
public record InputRow(String dependsOn, String job) {}
