package io.stoker.dispatcher.ledger;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * What a person said of a job that it ran.
 *
 * @param result any JSON value, null for none
 * @param failed why it failed, null if it succeeded
 */
public record Answer(JsonNode result, String failed) {}
