-- 100,000 runs of the project "chat" in the first week of November 2026: traces of a chain with three model calls.
INSERT INTO runs (id, session_id, trace_id, parent_run_id, parent_run_ids, name, run_type, start_time, end_time, status,
  dotted_order, inputs, outputs, extra, tags, total_tokens, total_cost)
WITH
  (k -> toString(reinterpretAsUUID(MD5(toString(k))))) AS id_of,
  (k -> toDateTime64('2026-11-01 00:00:00', 6, 'UTC') + intDiv(k, 4) * 24 + k % 4) AS start_of,
  (k -> concat(formatDateTime(start_of(k), '%Y%m%dT%H%i%S'), '000000Z', id_of(k))) AS place_of,
  number - number % 4 AS root,
  number != root AS is_child
SELECT id_of(number), 'chat', id_of(root), if(is_child, id_of(root), NULL), if(is_child, [id_of(root)], []),
  if(is_child, 'answer', 'chat'), if(is_child, 'llm', 'chain'), start_of(number), start_of(number) + 2, 'success',
  if(is_child, concat(place_of(root), '.', place_of(number)), place_of(root)),
  concat('{"question":"', toString(number), '"}'), '{"answer":"yes"}', '{"metadata":{"model":"small"}}', ['example'],
  if(is_child, 100 + number % 50, NULL), if(is_child, 0.001, NULL)
FROM numbers(100000)
