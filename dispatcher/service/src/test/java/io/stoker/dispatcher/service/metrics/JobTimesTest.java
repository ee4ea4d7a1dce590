package io.stoker.dispatcher.service.metrics;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class JobTimesTest {
  private static final long ARRIVED = 1_700_000_000_000L;
  private static final long PLACED = ARRIVED + 4_000;
  private static final long STARTED = PLACED + 500;

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final JobTimes times = new JobTimes(meters, new JobLabels());
  private final JobRow job = job();

  @Test
  void eachPartOfAJobsLife_isMeasured() {
    AttemptRow running = attempt(1).heard(1, AttemptRow.State.RUNNING, List.of(), STARTED);
    times.placed(job, attempt(1));
    times.started(job, running);
    times.over(job, running, null, STARTED + 60_000);

    assertThat(ms("stoker.job.waiting")).isEqualTo(4_000);
    assertThat(ms("stoker.job.placement")).isEqualTo(500);
    assertThat(ms("stoker.job.running")).isEqualTo(60_000);
  }

  @Test
  void ofAShortJob_whoseStartAndEndCameTogether_itsAgentsWordCounts() {
    times.over(job, attempt(1), usage(300), PLACED + 1_000);

    assertThat(ms("stoker.job.running")).isEqualTo(300);
    assertThat(ms("stoker.job.placement")).isEqualTo(700);
  }

  @Test
  void whatNeverRan_andARetrysWait_areNotCounted() {
    times.over(job, attempt(1), null, PLACED + 1_000);
    times.placed(job, attempt(2));

    assertThat(meters.getMeters()).isEmpty();
  }

  private double ms(String name) {
    return meters
        .get(name)
        .tags("queue", "default", "kind", "command")
        .timer()
        .totalTime(TimeUnit.MILLISECONDS);
  }

  private static JobRow job() {
    JobRequest request = aRequest("a").build();
    long seq = Arrival.first(ARRIVED);
    RequestRow row = RequestRow.arrived(request, seq, ARRIVED, false);
    return JobRow.first("j", "f", JobRow.Role.HOLDER, row, request);
  }

  private static AttemptRow attempt(int number) {
    return anAttempt("j").number(number).host("h").cpuSlots(1).placed(PLACED, PLACED + 9).row();
  }

  private static Usage usage(long wallMs) {
    return new Usage(wallMs, null, null, null);
  }
}
