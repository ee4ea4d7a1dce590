package io.stoker.agent.ssh;

import java.io.InputStream;

/** The way to one node. Connects when it is needed; calls may come from several threads. */
interface Link {
  /** Has the node's shell run a script. Returns what it wrote to its standard output. */
  byte[] run(String script) throws LinkException;

  /**
   * Puts a file there.
   *
   * @param path on the node, as {@link NodeFiles#name} allows
   * @param executable whether it is a program
   */
  void put(InputStream content, long size, String path, boolean executable) throws LinkException;
}
