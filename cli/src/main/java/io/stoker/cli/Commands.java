package io.stoker.cli;

import io.stoker.cli.bench.BenchCommand;
import io.stoker.cli.command.AclsCommand;
import io.stoker.cli.command.AgentCommand;
import io.stoker.cli.command.BackupCommand;
import io.stoker.cli.command.CancelCommand;
import io.stoker.cli.command.CordonCommand;
import io.stoker.cli.command.DeadLettersCommand;
import io.stoker.cli.command.DevicesCommand;
import io.stoker.cli.command.DispatcherCommand;
import io.stoker.cli.command.DownCommand;
import io.stoker.cli.command.DrainCommand;
import io.stoker.cli.command.EstimatesCommand;
import io.stoker.cli.command.ExplainCommand;
import io.stoker.cli.command.FinishCommand;
import io.stoker.cli.command.ForgetCommand;
import io.stoker.cli.command.GroupCommand;
import io.stoker.cli.command.HostsCommand;
import io.stoker.cli.command.InfoCommand;
import io.stoker.cli.command.KindsCommand;
import io.stoker.cli.command.ListCommand;
import io.stoker.cli.command.LogsCommand;
import io.stoker.cli.command.MigrateCommand;
import io.stoker.cli.command.PassiveCommand;
import io.stoker.cli.command.PolicyCommand;
import io.stoker.cli.command.PoolCommand;
import io.stoker.cli.command.PriorityCommand;
import io.stoker.cli.command.QueuesCommand;
import io.stoker.cli.command.ReloadCommand;
import io.stoker.cli.command.RestoreCommand;
import io.stoker.cli.command.ResultsCommand;
import io.stoker.cli.command.RetryCommand;
import io.stoker.cli.command.RunCommand;
import io.stoker.cli.command.ShowCommand;
import io.stoker.cli.command.StatusCommand;
import io.stoker.cli.command.SubmitCommand;
import io.stoker.cli.command.SweepCommand;
import io.stoker.cli.command.TopicsCommand;
import io.stoker.cli.command.UncordonCommand;
import io.stoker.cli.command.UpCommand;
import io.stoker.cli.command.WaitCommand;
import io.stoker.cli.demo.DemoCommand;
import io.stoker.cli.doctor.DoctorCommand;
import io.stoker.cli.top.TopCommand;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.AutoComplete.GenerateCompletion;

/** All commands, by their names: a class says its own only once it has been looked into. */
final class Commands {
  static final Map<String, Class<?>> BY_NAME = all();

  private Commands() {}

  private static Map<String, Class<?>> all() {
    Map<String, Class<?>> all = new LinkedHashMap<>();
    all.put("demo", DemoCommand.class);
    all.put("up", UpCommand.class);
    all.put("down", DownCommand.class);
    all.put("info", InfoCommand.class);
    all.put("submit", SubmitCommand.class);
    all.put("run", RunCommand.class);
    all.put("status", StatusCommand.class);
    all.put("wait", WaitCommand.class);
    all.put("list", ListCommand.class);
    all.put("show", ShowCommand.class);
    all.put("logs", LogsCommand.class);
    all.put("results", ResultsCommand.class);
    all.put("cancel", CancelCommand.class);
    all.put("retry", RetryCommand.class);
    all.put("forget", ForgetCommand.class);
    all.put("dead-letters", DeadLettersCommand.class);
    all.put("priority", PriorityCommand.class);
    all.put("explain", ExplainCommand.class);
    all.put("group", GroupCommand.class);
    all.put("sweep", SweepCommand.class);
    all.put("top", TopCommand.class);
    all.put("hosts", HostsCommand.class);
    all.put("cordon", CordonCommand.class);
    all.put("drain", DrainCommand.class);
    all.put("uncordon", UncordonCommand.class);
    all.put("policy", PolicyCommand.class);
    all.put("devices", DevicesCommand.class);
    all.put("pool", PoolCommand.class);
    all.put("passive", PassiveCommand.class);
    all.put("finish", FinishCommand.class);
    all.put("queues", QueuesCommand.class);
    all.put("kinds", KindsCommand.class);
    all.put("estimates", EstimatesCommand.class);
    all.put("reload", ReloadCommand.class);
    all.put("doctor", DoctorCommand.class);
    all.put("bench", BenchCommand.class);
    all.put("dispatcher", DispatcherCommand.class);
    all.put("agent", AgentCommand.class);
    all.put("topics", TopicsCommand.class);
    all.put("acls", AclsCommand.class);
    all.put("migrate", MigrateCommand.class);
    all.put("backup", BackupCommand.class);
    all.put("restore", RestoreCommand.class);
    all.put("generate-completion", GenerateCompletion.class);
    return Collections.unmodifiableMap(all);
  }
}
