package io.stoker.dispatcher.model;

import io.stoker.common.message.AttemptEvent.Usage;
import java.util.List;

/**
 * A job's newest attempt. Most of it stays as it was once that is over, until there is another one.
 *
 * @param number 0 before the first; only rises
 * @param host null where it is not known yet, or there was none
 * @param devices what it was given there
 * @param gang its hosts, where it has several at once; else null
 * @param startedAt when it began to run, ms since 1970; null if it has not
 * @param progress what it said last, JSON; null if nothing
 * @param exitCode null if there is none
 * @param usage what it took, null if that is not known
 */
public record LatestAttempt(
    int number,
    String host,
    List<String> devices,
    Gang gang,
    Long startedAt,
    String progress,
    Integer exitCode,
    Usage usage) {

  /** Before the first. */
  static final LatestAttempt NONE = placed(0, null, null);

  static LatestAttempt placed(int number, String host, Gang gang) {
    return new LatestAttempt(number, host, List.of(), gang, null, null, null, null);
  }

  /** Whether nothing shows of it but its number. */
  boolean isBlank() {
    return host == null
        && devices.isEmpty()
        && startedAt == null
        && progress == null
        && exitCode == null
        && usage == null;
  }

  LatestAttempt on(String next) {
    return new LatestAttempt(number, next, devices, gang, startedAt, progress, exitCode, usage);
  }

  LatestAttempt devices(List<String> next) {
    return new LatestAttempt(number, host, next, gang, startedAt, progress, exitCode, usage);
  }

  LatestAttempt gang(Gang next) {
    return new LatestAttempt(number, host, devices, next, startedAt, progress, exitCode, usage);
  }

  LatestAttempt startedAt(Long next) {
    return new LatestAttempt(number, host, devices, gang, next, progress, exitCode, usage);
  }

  LatestAttempt progress(String next) {
    return new LatestAttempt(number, host, devices, gang, startedAt, next, exitCode, usage);
  }

  LatestAttempt exitCode(Integer next) {
    return new LatestAttempt(number, host, devices, gang, startedAt, progress, next, usage);
  }

  LatestAttempt usage(Usage next) {
    return new LatestAttempt(number, host, devices, gang, startedAt, progress, exitCode, next);
  }
}
