-- Where a job failed: by host the devices, JSON, and no longer the hosts alone.
update job set avoid = (
  select json_object_agg(failed.id, json_build_array())::text
  from json_array_elements_text(avoid::json) failed(id))
where avoid is not null;
