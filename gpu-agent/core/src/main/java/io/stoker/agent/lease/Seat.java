package io.stoker.agent.lease;

/**
 * The place of an agent: a data folder on one boot of a machine. The lock in that folder lets one
 * agent at a time have it, so whoever says hello from the same seat is the successor of who said it
 * before. A copy of the folder, here or elsewhere, is another seat.
 *
 * @param name boot id, file system and inode of the folder
 * @param machine the machine's name, for people; null if it has none
 */
public record Seat(String name, String machine) {}
