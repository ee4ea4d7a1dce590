package io.stoker.cli.input;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A request as it was read.
 *
 * @param place where it stands in its file, for messages
 */
record Numbered(String place, JsonNode tree) {}
