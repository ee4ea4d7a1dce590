package io.stoker.agent.attempt;

/**
 * A record of the placements topic as it came, for the dead letters.
 *
 * @param key may be null
 * @param value may be null
 */
public record ReceivedRecord(String topic, int partition, long offset, byte[] key, byte[] value) {}
