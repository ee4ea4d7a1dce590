package io.stoker.dispatcher.service.page;

import io.quarkus.qute.CheckedTemplate;
import io.quarkus.qute.TemplateInstance;
import io.stoker.dispatcher.service.rest.ApiError;
import io.stoker.dispatcher.service.rest.ListResource;

/** The templates, each with what it shows. What they show is escaped: it is text, never HTML. */
@CheckedTemplate(basePath = "page")
final class Views {
  private Views() {}

  static native TemplateInstance now(Viewer me, Now now);

  static native TemplateInstance fleet(Viewer me, FleetMap fleet);

  static native TemplateInstance host(Viewer me, HostCard card, Jobs past);

  static native TemplateInstance jobs(Viewer me, JobsQuery query, ListResource.Listed found);

  static native TemplateInstance job(Viewer me, JobView job);

  static native TemplateInstance login(String to, String trouble);

  /** For who comes from a page of another site, without the cookie: this one of ours sends it. */
  static native TemplateInstance again();

  static native TemplateInstance error(ApiError error);
}
