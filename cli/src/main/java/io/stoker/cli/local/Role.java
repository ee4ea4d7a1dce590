package io.stoker.cli.local;

/** The roles of child processes of the stack. */
public enum Role {
  KAFKA,
  POSTGRES,
  REDIS,
  DISPATCHER,
  AGENT
}
