package io.stoker.dispatcher.service.report;

import io.quarkus.mailer.Mail;
import io.quarkus.mailer.reactive.ReactiveMailer;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.report.GroupFacts;
import io.stoker.dispatcher.report.HtmlReport;
import io.stoker.dispatcher.report.MailRules;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.MailTable;
import io.stoker.dispatcher.service.runtime.Aside;
import io.stoker.dispatcher.service.runtime.Faults;
import jakarta.inject.Singleton;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.jboss.logging.Logger;

/**
 * Mails the reports of groups that have ended, where mail is configured. What may not be mailed yet
 * goes with the next mail. That a mail is sent is noted before it is: a replica that dies loses one
 * rather than send it twice, and one that fails is logged and fails nothing.
 */
@Singleton
public class ReportMailer {
  private static final Logger LOG = Logger.getLogger(ReportMailer.class);

  /** Reports in one mail. */
  private static final int AT_ONCE = 20;

  /** Requests that a mailed report shows. */
  private static final int MOST = 2_000;

  private final Database database;
  private final SetAsides asides;
  private final ReactiveMailer mailer;
  private final StokerConfig.Mail config;
  private final MailRules rules;

  ReportMailer(Database database, ReactiveMailer mailer, StokerConfig config, SetAsides asides) {
    this.asides = asides;
    this.database = database;
    this.mailer = mailer;
    this.config = config.mail();
    rules = new MailRules(this.config.minInterval().toMillis(), this.config.maxNumbers());
  }

  /** Sends what is to be sent. It returns before that has arrived. */
  public Uni<Void> look() {
    if (config.to().isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return database
        .transaction(this::take)
        .invoke(
            groups -> {
              if (!groups.isEmpty()) {
                send(groups)
                    .subscribe()
                    .with(
                        done -> LOG.infof("the reports of %s were mailed", groups),
                        e -> LOG.warnf("the reports of %s could not be mailed: %s", groups, e));
              }
            })
        .replaceWithVoid();
  }

  private Uni<List<String>> take(StatelessSession session) {
    return Database.now(session)
        .chain(
            now ->
                MailTable.due(session, now - MailRules.WINDOW_MS, AT_ONCE)
                    .chain(
                        due ->
                            due.isEmpty()
                                ? Uni.createFrom().item(due)
                                : MailTable.lockSent(session)
                                    .chain(sent -> take(session, sent, now))));
  }

  /** Looks again: another replica may have sent them while the lock was waited for. */
  private Uni<List<String>> take(StatelessSession session, List<Long> sent, long now) {
    if (!rules.maySend(sent, now)) {
      return Uni.createFrom().item(List.of());
    }
    return MailTable.due(session, now - MailRules.WINDOW_MS, AT_ONCE)
        .call(
            due ->
                due.isEmpty()
                    ? Uni.createFrom().voidItem()
                    : MailTable.sent(session, due, now, now - rules.rememberMs()));
  }

  private Uni<Void> send(List<String> groups) {
    Uni<List<GroupFacts>> all = Uni.createFrom().item(ArrayList::new);
    for (String group : groups) {
      all =
          all.call(
              facts ->
                  database
                      .read(session -> Reports.of(session, group, MOST, () -> true))
                      .invoke(found -> found.ifPresent(facts::add))
                      .onFailure(error -> Faults.of(error) != Fault.OUTAGE)
                      .recoverWithItem(
                          error -> {
                            asides.failed("mail", group, error);
                            return Optional.empty();
                          }));
    }
    return all.chain(
        facts ->
            facts.isEmpty()
                ? Uni.createFrom().voidItem()
                : Aside.run(() -> mail(facts)).chain(mail -> mailer.send(mail)));
  }

  private Mail mail(List<GroupFacts> all) {
    GroupFacts first = all.getFirst();
    String subject =
        all.size() == 1
            ? "Stoker: %s %s, %s".formatted(first.name(), first.state(), first.summary())
            : "Stoker: %d groups have ended".formatted(all.size());
    String text =
        all.stream()
            .map(facts -> "%s %s: %s".formatted(facts.name(), facts.state(), facts.summary()))
            .collect(Collectors.joining("\n"));
    Mail mail = new Mail().setTo(config.to().orElseThrow()).setText(text + "\n");
    mail.setSubject(subject.replaceAll("\\p{Cntrl}", " "));
    for (int i = 0; i < all.size(); i++) {
      mail.addAttachment(
          "report-%d.html".formatted(i + 1),
          HtmlReport.of(all.get(i)).getBytes(StandardCharsets.UTF_8),
          "text/html; charset=UTF-8");
    }
    return mail;
  }
}
