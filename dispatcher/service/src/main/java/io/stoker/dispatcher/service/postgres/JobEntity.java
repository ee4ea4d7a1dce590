package io.stoker.dispatcher.service.postgres;

import io.stoker.common.state.JobState;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.hibernate.annotations.Immutable;

/** What lists choose jobs by; read only, as {@link RequestEntity}. */
@Entity
@Immutable
@Table(name = "job")
class JobEntity {
  @Id String id;

  @Enumerated(EnumType.STRING)
  @Column(columnDefinition = "text")
  JobState state;
}
