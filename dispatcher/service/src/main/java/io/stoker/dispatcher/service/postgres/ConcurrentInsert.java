package io.stoker.dispatcher.service.postgres;

/** Another replica inserted a row of the same key first; done again, the transaction finds it. */
public final class ConcurrentInsert extends RuntimeException {
  ConcurrentInsert(String table) {
    super("a row of table " + table + " was inserted by somebody else meanwhile");
  }
}
