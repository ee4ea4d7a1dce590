package io.stoker.common.size;

/**
 * The largest sizes of messages to agents, in bytes: {@link #REAL}, or less where a test wants to
 * see what happens at the limits.
 *
 * @param together several messages are put into one record up to this; parts are as large
 * @param record value of a record: a message that is larger is told in parts
 * @param message that is told at all
 * @param inputs results of all dependencies of a request together
 */
public record SendLimits(int together, int record, int message, int inputs) {
  public static final SendLimits REAL =
      new SendLimits(
          Limits.SHARED_RECORD, Limits.RECORD_VALUE, Limits.AGENT_MESSAGE, Limits.INPUTS);
}
