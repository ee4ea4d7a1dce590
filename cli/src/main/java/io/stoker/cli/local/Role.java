package io.stoker.cli.local;

/** What a child process of the stack is. */
public enum Role {
  KAFKA,
  POSTGRES,
  REDIS,
  DISPATCHER,
  AGENT
}
