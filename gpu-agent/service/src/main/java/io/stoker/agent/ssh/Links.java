package io.stoker.agent.ssh;

/** Ways to nodes. */
interface Links extends AutoCloseable {
  /** The one to this node: what is asked for twice is one connection. */
  Link to(Node node);

  @Override
  void close();
}
