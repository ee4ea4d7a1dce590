package io.stoker.dispatcher.model;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * The answer of a person who ran a job.
 *
 * @param result any JSON value, null for none
 * @param failed why it failed, null if it succeeded
 */
public record Answer(JsonNode result, String failed) {}
