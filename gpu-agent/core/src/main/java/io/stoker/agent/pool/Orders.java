package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Phase;
import java.util.Optional;

/** What a pool is told as a whole: to begin anew, to close and to open. The next agent knows it. */
final class Orders {
  private final Works works;
  private final Door door;
  private int session;

  /** How it was told to close; what the end of its agent asks for is forgotten with that. */
  private Optional<Closing> told;

  Orders(Works works, PoolMemory memory) {
    this.works = works;
    this.door = works.door();
    this.session = memory.session();
    this.told = memory.closing();
  }

  int session() {
    return session;
  }

  /** What it was told, or what cannot be counted again, has changed. */
  void remember() {
    works.effects().accept(new PoolEffect.Remember(session, told, works.tasks().counts.crashes));
  }

  void reset(long now) {
    session++;
    remember();
    works.note("reset: session %d", session);
    renew();
    killBusy(new TaskEnd.Reset(), now);
    works.tasks().clear(works.slots(), new TaskEnd.Reset(), now);
    if (door.status() == PoolStatus.FAILED) {
      door.serve(works.up());
      works.note("open");
    }
  }

  private void renew() {
    works.supply().renew();
    works.slots().renew();
  }

  void close(Closing how, long now) {
    if (told.isEmpty() || told.get().compareTo(how) < 0) {
      told = Optional.of(how);
      remember();
    }
    shut(how, now);
  }

  private void shut(Closing how, long now) {
    if (!door.close(how)) {
      return;
    }
    works.note("closing: %s", how);
    TaskEnd closed = works.returned("was closed");
    if (how != Closing.DRAIN) {
      works.tasks().clear(works.slots(), closed, now);
    }
    if (how == Closing.ABORT) {
      killBusy(closed, now);
    }
  }

  private void killBusy(TaskEnd end, long now) {
    works.slots().stream()
        .filter(slot -> slot.phase() == Phase.BUSY)
        .forEach(slot -> works.crew().kill(slot, end, now));
  }

  void shutdown(long now) {
    shut(Closing.DISCARD, now);
    door.abortAt(now + works.settings().close());
  }

  /** Time has passed. */
  void tick(long now) {
    if (door.takeAbort(now)) {
      shut(Closing.ABORT, now);
    }
  }

  void open() {
    if (door.takes()) {
      return;
    }
    renew();
    works.slots().wake();
    door.open(works.up());
    told = Optional.empty();
    remember();
    works.note("open");
  }
}
