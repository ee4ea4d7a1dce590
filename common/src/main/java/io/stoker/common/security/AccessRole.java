package io.stoker.common.security;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The roles of callers of REST; each may do what those before it may. */
public enum AccessRole {
  /** Look at everything. */
  READ,
  /** Post requests, and change one's own. */
  SUBMIT,
  /** Change everybody's requests, groups, hosts and pools. */
  OPERATE,
  /** Change how the dispatcher is configured. */
  ADMIN;

  /** What {@link #of} takes, for people. */
  public static final String EXPECTED = "read, submit, operate or admin";

  /** As it is written in files and on command lines. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  public boolean includes(AccessRole other) {
    return compareTo(other) >= 0;
  }

  public static Optional<AccessRole> of(String key) {
    return Arrays.stream(values()).filter(role -> role.key().equals(key)).findFirst();
  }
}
