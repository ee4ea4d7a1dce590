package io.stoker.dispatcher.service.postgres;

import io.stoker.common.state.RequestState;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;
import org.hibernate.annotations.Immutable;

/**
 * What lists choose requests by. Never written: rows change in multi-row statements of the ledger's
 * writer alone.
 */
@Entity
@Immutable
@Table(name = "request")
class RequestEntity {
  @Id String id;

  /** Order of arrival; 0 for a placeholder. */
  long seq;

  String queue;

  @Column(name = "grp")
  String group;

  /** A terminal state of its own; else the job's counts. */
  @Enumerated(EnumType.STRING)
  @Column(columnDefinition = "text")
  RequestState ended;

  @ManyToOne(fetch = FetchType.LAZY)
  @JoinColumn(name = "job")
  JobEntity job;
}
