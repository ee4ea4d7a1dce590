package io.stoker.agent.aws;

/** EC2 did not do what it was asked. */
final class Ec2Exception extends Exception {
  private static final long serialVersionUID = 1L;

  /** What may help. */
  enum Kind {
    /** To ask again later. */
    LATER,
    /** A person: permission, credentials, configuration. */
    PERSON,
    /** Nothing: there is no such instance. */
    NOTHING
  }

  private final Kind kind;

  Ec2Exception(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }
}
