package io.stoker.agent.report;

/** Records of one channel that no broker has acknowledged yet. */
public final class Unacknowledged {
  private final Timer timer;
  private int records;
  private long since;

  public Unacknowledged(Timer timer) {
    this.timer = timer;
  }

  /** One is on its way. */
  public synchronized void sent() {
    if (records++ == 0) {
      since = timer.nowMs();
    }
  }

  /** One has arrived, or never will. */
  public synchronized void over() {
    records--;
    since = timer.nowMs();
  }

  /** For how long there are some and none has arrived, ms; 0 if there are none. */
  public synchronized long stuckMs() {
    return records == 0 ? 0 : timer.nowMs() - since;
  }
}
