package io.stoker.agent.aws;

import java.util.Optional;

/** The port to EC2. */
interface Ec2 extends AutoCloseable {
  /** How an instance is. */
  enum State {
    PENDING,
    RUNNING,
    STOPPING,
    STOPPED,
    /** On its way to its end. */
    SHUTTING_DOWN,
    TERMINATED
  }

  /**
   * An instance.
   *
   * @param address name or number by which it is reached, once it has one
   * @param reason why it is in that state, if EC2 says so
   */
  record Instance(State state, Optional<String> address, Optional<String> reason) {}

  Instance describe(String id) throws Ec2Exception;

  void start(String id) throws Ec2Exception;

  void stop(String id) throws Ec2Exception;

  @Override
  void close();
}
