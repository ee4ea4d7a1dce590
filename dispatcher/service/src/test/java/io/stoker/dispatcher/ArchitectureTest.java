package io.stoker.dispatcher;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.stoker.dispatcher.attempt.AttemptEnd;
import io.stoker.dispatcher.attempt.AttemptReport;
import io.stoker.dispatcher.attempt.AttemptReports;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.attempt.Cancellation;
import io.stoker.dispatcher.attempt.Finishing;
import io.stoker.dispatcher.attempt.GangStart;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.attempt.LongerRun;
import io.stoker.dispatcher.attempt.RetryWait;
import io.stoker.dispatcher.backup.HeardHosts;
import io.stoker.dispatcher.control.Forgetting;
import io.stoker.dispatcher.control.Prioritising;
import io.stoker.dispatcher.dedup.Binding;
import io.stoker.dispatcher.dedup.LongerTimeout;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.dedup.Needs;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.experiment.EarlyStopPlan;
import io.stoker.dispatcher.experiment.EarlyStopRules;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.ExperimentRules;
import io.stoker.dispatcher.experiment.Objective;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.PlanRefused;
import io.stoker.dispatcher.experiment.Reruns;
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.fairshare.Standing;
import io.stoker.dispatcher.fairshare.Usage;
import io.stoker.dispatcher.intake.GroupDoor;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.intake.LineRoom;
import io.stoker.dispatcher.intake.Meanings;
import io.stoker.dispatcher.intake.QueueDoor;
import io.stoker.dispatcher.kinds.Kind;
import io.stoker.dispatcher.kinds.KindPools;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.kinds.KindsRefused;
import io.stoker.dispatcher.lease.Draining;
import io.stoker.dispatcher.lease.HostLoss;
import io.stoker.dispatcher.lease.InventoryCheck;
import io.stoker.dispatcher.lease.LeaseBook;
import io.stoker.dispatcher.lease.LeftBehind;
import io.stoker.dispatcher.lease.Overdue;
import io.stoker.dispatcher.lease.Registration;
import io.stoker.dispatcher.lease.Settling;
import io.stoker.dispatcher.lease.Silence;
import io.stoker.dispatcher.ledger.Holder;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.HostSettings;
import io.stoker.dispatcher.ledger.LaneLimit;
import io.stoker.dispatcher.ledger.MemoryKeys;
import io.stoker.dispatcher.ledger.Profile;
import io.stoker.dispatcher.ledger.Restored;
import io.stoker.dispatcher.ledger.Shape;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.memory.Peaks;
import io.stoker.dispatcher.placement.Assignment;
import io.stoker.dispatcher.placement.Claim;
import io.stoker.dispatcher.placement.Emptied;
import io.stoker.dispatcher.placement.FleetView;
import io.stoker.dispatcher.placement.GpuRoom;
import io.stoker.dispatcher.placement.Head;
import io.stoker.dispatcher.placement.Hold;
import io.stoker.dispatcher.placement.HoldRules;
import io.stoker.dispatcher.placement.HostAnswer;
import io.stoker.dispatcher.placement.HostMemory;
import io.stoker.dispatcher.placement.HostMemoryView;
import io.stoker.dispatcher.placement.Labels;
import io.stoker.dispatcher.placement.Line;
import io.stoker.dispatcher.placement.LineKey;
import io.stoker.dispatcher.placement.LineRead;
import io.stoker.dispatcher.placement.LineVerdict;
import io.stoker.dispatcher.placement.LineWalks;
import io.stoker.dispatcher.placement.LineWindow;
import io.stoker.dispatcher.placement.Memory;
import io.stoker.dispatcher.placement.MemoryRoom;
import io.stoker.dispatcher.placement.MemoryView;
import io.stoker.dispatcher.placement.NeverServed;
import io.stoker.dispatcher.placement.Obstacle;
import io.stoker.dispatcher.placement.OtherNeeds;
import io.stoker.dispatcher.placement.Pace;
import io.stoker.dispatcher.placement.PlacementMessage;
import io.stoker.dispatcher.placement.PlacementPass;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.placement.Preempting;
import io.stoker.dispatcher.placement.Preemption;
import io.stoker.dispatcher.placement.Running;
import io.stoker.dispatcher.placement.Service;
import io.stoker.dispatcher.placement.Sharing;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.placement.SuspectRules;
import io.stoker.dispatcher.placement.Suspicion;
import io.stoker.dispatcher.placement.Takeover;
import io.stoker.dispatcher.placement.Ties;
import io.stoker.dispatcher.placement.Unplaced;
import io.stoker.dispatcher.placement.Unsatisfiable;
import io.stoker.dispatcher.placement.Verdicts;
import io.stoker.dispatcher.retention.Aged;
import io.stoker.dispatcher.retention.Deadlines;
import io.stoker.dispatcher.runtime.Trouble;
import io.stoker.dispatcher.runtime.TroubleBook;
import io.stoker.dispatcher.status.StatusView;
import io.stoker.dispatcher.timer.ClockWatch;
import io.stoker.dispatcher.timer.RetriesDue;
import io.stoker.dispatcher.timer.TimeOuts;
import java.util.Set;

/** Where the borders of the dispatcher are. */
@AnalyzeClasses(packages = "io.stoker.dispatcher", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  private static final Set<String> DECIDERS =
      Set.of(
          Intake.class.getName(),
          LineRoom.class.getName(),
          Meanings.class.getName(),
          Aged.class.getName(),
          Deadlines.class.getName(),
          QueueDoor.class.getName(),
          Binding.class.getName(),
          Meaning.class.getName(),
          Needs.class.getName(),
          OtherNeeds.class.getName(),
          Settlement.class.getName(),
          JobEnd.class.getName(),
          LongerRun.class.getName(),
          LongerTimeout.class.getName(),
          Backoff.class.getName(),
          RetryWait.class.getName(),
          RetriesDue.class.getName(),
          AttemptReport.class.getName(),
          AttemptReports.class.getName(),
          Cancellation.class.getName(),
          Finishing.class.getName(),
          TimeOuts.class.getName(),
          Trouble.class.getName(),
          TroubleBook.class.getName(),
          PlacementPass.class.getName(),
          PlacementMessage.class.getName(),
          ClockWatch.class.getName(),
          Claim.class.getName(),
          HostAnswer.class.getName(),
          Obstacle.class.getName(),
          Pace.class.getName(),
          SuspectRules.class.getName(),
          Suspicion.class.getName(),
          Memory.class.getName(),
          MemoryView.class.getName(),
          MemoryRoom.class.getName(),
          HostMemory.class.getName(),
          HostMemoryView.class.getName(),
          Estimate.class.getName(),
          MemoryKeys.class.getName(),
          MemoryRules.class.getName(),
          Peaks.class.getName(),
          Profile.class.getName(),
          NeverServed.class.getName(),
          Line.class.getName(),
          LineVerdict.class.getName(),
          LineWalks.class.getName(),
          Unsatisfiable.class.getName(),
          Verdicts.class.getName(),
          Preemption.class.getName(),
          Preempting.class.getName(),
          Hold.class.getName(),
          HoldRules.class.getName(),
          Running.class.getName(),
          Emptied.class.getName(),
          // Seen by their package alone.
          "io.stoker.dispatcher.placement.Asked",
          "io.stoker.dispatcher.placement.Candidates",
          "io.stoker.dispatcher.placement.Dues",
          "io.stoker.dispatcher.placement.Kept",
          "io.stoker.dispatcher.placement.MemoryNeed",
          "io.stoker.dispatcher.placement.Need",
          "io.stoker.dispatcher.placement.NoRoom",
          "io.stoker.dispatcher.placement.NoRoom$Lack",
          "io.stoker.dispatcher.placement.NoRoom$Found",
          "io.stoker.dispatcher.placement.NoRoom$Key",
          "io.stoker.dispatcher.placement.Room",
          "io.stoker.dispatcher.placement.RoomOrder",
          "io.stoker.dispatcher.placement.Turn",
          "io.stoker.dispatcher.placement.Victims",
          "io.stoker.dispatcher.placement.WhyNone",
          Decay.class.getName(),
          DeviceTime.class.getName(),
          FairShare.class.getName(),
          QueueSettings.class.getName(),
          Queues.class.getName(),
          Standing.class.getName(),
          Usage.class.getName(),
          Placing.class.getName(),
          Overdue.class.getName(),
          FleetView.class.getName(),
          GpuRoom.class.getName(),
          Service.class.getName(),
          LineKey.class.getName(),
          LineRead.class.getName(),
          LineWindow.class.getName(),
          Takeover.class.getName(),
          Ties.class.getName(),
          Sharing.class.getName(),
          Snapshot.class.getName(),
          Head.class.getName(),
          Assignment.class.getName(),
          LaneLimit.class.getName(),
          Objective.class.getName(),
          Plan.class.getName(),
          PlanRefused.class.getName(),
          EarlyStopPlan.class.getName(),
          ExperimentRow.class.getName(),
          ExperimentRules.class.getName(),
          Reruns.class.getName(),
          EarlyStopRules.class.getName(),
          io.stoker.dispatcher.experiment.Standing.class.getName(),
          "io.stoker.dispatcher.experiment.CurveFit",
          "io.stoker.dispatcher.placement.NodeMachines",
          GroupDoor.class.getName(),
          Unplaced.class.getName(),
          Shape.class.getName(),
          Registration.class.getName(),
          "io.stoker.dispatcher.lease.Challenge",
          Holder.class.getName(),
          LeftBehind.class.getName(),
          Silence.class.getName(),
          "io.stoker.dispatcher.lease.Pace",
          HostRow.class.getName(),
          HostSettings.class.getName(),
          HostLoss.class.getName(),
          HeardHosts.class.getName(),
          "io.stoker.dispatcher.backup.Reach",
          "io.stoker.dispatcher.backup.Position",
          Restored.class.getName(),
          Settling.class.getName(),
          Draining.class.getName(),
          InventoryCheck.class.getName(),
          LeaseBook.class.getName(),
          Labels.class.getName(),
          StatusView.class.getName(),
          Kind.class.getName(),
          Kinds.class.getName(),
          KindPools.class.getName(),
          KindsRefused.class.getName(),
          Forgetting.class.getName(),
          Prioritising.class.getName(),
          AttemptEnd.class.getName(),
          GangStart.class.getName(),
          // Seen by their packages alone.
          "io.stoker.dispatcher.attempt.AttemptHistory",
          "io.stoker.dispatcher.attempt.EventEnds",
          "io.stoker.dispatcher.control.Retrying",
          "io.stoker.dispatcher.kinds.KindPoolReader",
          "io.stoker.dispatcher.kinds.KindsReader",
          "io.stoker.dispatcher.kinds.Located",
          "io.stoker.dispatcher.kinds.Template",
          "io.stoker.dispatcher.status.Moments",
          "io.stoker.dispatcher.status.Scores");

  private static final DescribedPredicate<JavaClass> DECIDE =
      DescribedPredicate.describe(
          "decide",
          type ->
              type.getPackageName().equals("io.stoker.dispatcher.ledger")
                  || DECIDERS.contains(outermost(type).getName()));

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type);
  }

  @ArchTest
  static final ArchRule whatDecidesIsPlainJava =
      classes()
          .that(DECIDE)
          .should()
          .onlyDependOnClassesThat(
              DescribedPredicate.<JavaClass>describe(
                      "are of the JDK, Jackson or the vocabulary",
                      type ->
                          type.getPackageName().startsWith("java.")
                              || type.isPrimitive()
                              || type.isArray()
                              || type.getPackageName().startsWith("com.fasterxml.jackson")
                              || type.getPackageName().startsWith("io.stoker.common"))
                  .or(DECIDE));

  @ArchTest
  static final ArchRule whatDecidesAsksNoClock =
      noClasses()
          .that(DECIDE)
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(java.time.Instant.class, "now");

  @ArchTest
  static final ArchRule onlyTheReadViewKnowsRedis =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.stoker.dispatcher.readview")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.vertx.redis..", "io.vertx.mutiny.redis..", "io.quarkus.redis..");

  @ArchTest
  static final ArchRule nobodyDependsOnRest =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.stoker.dispatcher.api")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.stoker.dispatcher.api", "jakarta.ws.rs..");

  @ArchTest
  static final ArchRule entitiesStayInTheStore =
      classes()
          .that()
          .areAnnotatedWith(jakarta.persistence.Entity.class)
          .should()
          .resideInAPackage("io.stoker.dispatcher.store")
          .andShould()
          .bePackagePrivate();
}
