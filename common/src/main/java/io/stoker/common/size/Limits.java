package io.stoker.common.size;

/**
 * The largest sizes of requests, results, messages and batches, in bytes unless it says otherwise,
 * and why. Whoever checks, cuts or configures a size takes it from here, so that the sums hold
 * together: all that is accepted can be stored, sent and published.
 */
public final class Limits {
  private static final int KIB = 1 << 10;
  private static final int MIB = 1 << 20;

  /** A record with its key, headers and framing: what Kafka's producers and topics take unasked. */
  public static final int RECORD = MIB;

  /** The value of a record: what Kafka adds to it, keys and headers fit beside it. */
  public static final int RECORD_VALUE = RECORD - 4 * KIB;

  /** A request as it comes, and as it is in force: canonical, with all that its kind brings. */
  public static final int REQUEST = MIB;

  /** What the requests topics take, so that what is too large is refused with a reason. */
  public static final int OVERSIZE_RECORD = 16 * MIB;

  /** What is posted to a dispatcher's REST, all requests of it together. */
  public static final int BODY = 2 * MIB;

  /** A result, in characters of JSON: at three bytes each it fits into a record with its status. */
  public static final int RESULT_CHARACTERS = 256 * KIB;

  /** The results of all dependencies of a request together, in bytes of JSON. */
  public static final int INPUTS = 4 * MIB;

  /** A message to an agent as a whole, in however many records: a request with its inputs. */
  public static final int AGENT_MESSAGE = REQUEST + INPUTS + MIB;

  /** Several messages to an agent are put into one record up to this. */
  public static final int SHARED_RECORD = 512 * KIB;

  /** A sentence in a status, in characters: longer ones are cut. */
  public static final int SENTENCE_CHARACTERS = 1_000;

  /**
   * What is read, made and sent in one go of what may be large. A dispatcher has 144 MiB of heap,
   * and does several things at once, each with copies.
   */
  public static final int AT_ONCE = 4 * MIB;

  /**
   * What is taken of records in one go, of a channel: some 2,500 requests or events. Each becomes
   * rows, views and messages of ten times its size, and four batches are under way at once.
   */
  public static final int RECORDS_AT_ONCE = MIB;

  /** A result is read with its job's row up to this; a larger one when somebody asks for it. */
  public static final int RESULT_WITH_ROW = 8 * KIB;

  /** So is what a request says, where many are read. */
  public static final int REQUEST_WITH_ROW = 64 * KIB;

  private Limits() {}
}
