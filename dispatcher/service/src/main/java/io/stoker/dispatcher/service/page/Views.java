package io.stoker.dispatcher.service.page;

import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.stoker.dispatcher.service.rest.ApiError;
import io.stoker.dispatcher.service.rest.DeadLettersResource;
import io.stoker.dispatcher.service.rest.GroupsResource;
import io.stoker.dispatcher.service.rest.HostsResource;
import io.stoker.dispatcher.service.rest.KindsResource;
import io.stoker.dispatcher.service.rest.ListResource;
import io.stoker.dispatcher.service.rest.PoolsResource;
import io.stoker.dispatcher.service.rest.QueueView;
import java.util.List;

/** The templates, each with what it shows. What they show is escaped: it is text, never HTML. */
@CheckedTemplate(basePath = "page")
final class Views {
  private Views() {}

  static native TemplateInstance now(Viewer me, Now now);

  static native TemplateInstance fleet(Viewer me, FleetMap fleet);

  static native TemplateInstance host(
      Viewer me, HostCard card, boolean more, Jobs past, List<HostsResource.Event> events);

  static native TemplateInstance jobs(Viewer me, JobsQuery query, ListResource.Listed found);

  static native TemplateInstance job(Viewer me, JobView job);

  static native TemplateInstance queues(Viewer me, List<QueueView> queues);

  static native TemplateInstance pools(Viewer me, List<PoolsResource.PoolView> pools);

  static native TemplateInstance groups(Viewer me, GroupsResource.Groups found);

  static native TemplateInstance group(Viewer me, GroupPageView view);

  static native TemplateInstance kinds(Viewer me, KindsResource.InForce inForce);

  static native TemplateInstance deadLetters(
      Viewer me, DeadLettersResource.Found found, String text, String topic);

  static native TemplateInstance many(Viewer me, ManyView many);

  static native TemplateInstance done(Viewer me, ManyForms.Done done);

  /**
   * @param issuer by which people log in, too; null if there is none
   */
  static native TemplateInstance login(String to, String trouble, String issuer);

  /** For who comes from a page of another site, without the cookie: this one of ours sends it. */
  static native TemplateInstance again();

  static native TemplateInstance error(ApiError error);
}
