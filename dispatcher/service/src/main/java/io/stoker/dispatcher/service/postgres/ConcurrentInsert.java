package io.stoker.dispatcher.service.postgres;

import io.stoker.dispatcher.runtime.Fault;

/** Another replica inserted a row of the same key first; done again, the transaction finds it. */
public final class ConcurrentInsert extends RuntimeException {
  ConcurrentInsert(String table) {
    super("a row of table " + table + " was inserted by somebody else meanwhile");
  }

  /** The violation is no cause of it: that would make it the input's fault. */
  ConcurrentInsert(Throwable violation) {
    super("a row was inserted by somebody else meanwhile: " + Fault.sentence(violation));
  }
}
