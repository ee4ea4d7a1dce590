package io.stoker.dispatcher.service.postgres;

import java.util.Collection;

/**
 * A transaction would change jobs that it only holds together with others. Two of them would wait
 * for each other until the database ends one; so it is done again, with locks for changes from its
 * start.
 */
final class LockTooWeak extends IllegalStateException {
  private static final long serialVersionUID = 1;

  LockTooWeak(Collection<String> jobs) {
    super("the transaction holds jobs " + jobs + " together with others and would change them");
  }
}
