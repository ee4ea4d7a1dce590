package io.stoker.agent.loop;

import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.lease.HostVoice;
import io.stoker.agent.report.EventsVoice;
import io.stoker.agent.report.Outlet;
import io.stoker.agent.report.Timer;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import java.io.IOException;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The ports of an agent's loop. */
public record Ports(Journal journal, Host host, Topics topics, Timers timers, Observer observer) {
  /**
   * The machine.
   *
   * @param spareRoom gives up what is set aside for a disk that is full
   */
  public record Host(Runs runs, Deadline deadline, Runnable spareRoom, Devices devices) {}

  /** Until when the watchdog lets jobs live. */
  public interface Deadline {
    /** Moves it, at once or not at all, to so many ms of CLOCK_BOOTTIME. */
    void write(long bootMs) throws IOException;
  }

  /** The devices, with how they were last measured. */
  public record Devices(
      DeviceCleaner cleaner, DeviceFinder finder, Supplier<List<DeviceTelemetry>> telemetry) {}

  /**
   * What it says.
   *
   * @param voice signs events
   * @param deadLetters takes a refused record and the reason
   */
  public record Topics(
      Outlet events,
      EventsVoice voice,
      HostVoice host,
      BiConsumer<ReceivedRecord, String> deadLetters) {}

  /**
   * What happens when time has passed.
   *
   * @param disk on whose one thread the journal is forced to the disk
   */
  public record Timers(Timer reports, Timer disk) {}

  /**
   * Who is told on the agent's thread what comes of it.
   *
   * @param ended takes each end that is journaled
   * @param notes takes sentences for people
   * @param stopped run when nothing is left to do after a stop
   */
  public record Observer(Consumer<AttemptEvent> ended, Consumer<String> notes, Runnable stopped) {}
}
