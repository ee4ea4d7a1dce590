package io.stoker.dispatcher.experiment;

/**
 * The progress of a job.
 *
 * @param results with a score that its newest attempt has given
 * @param judged the step that it was judged at last; 0 if never
 */
public record Reached(String job, int results, int judged) {}
