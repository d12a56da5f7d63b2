export const sql = `
-- Callers read the entries as they are stored here, and the name of a cause is now its code.
update forecasts set entries = (
  select jsonb_agg(entry - 'cause' || jsonb_build_object('code', entry -> 'cause') order by place)
    from jsonb_array_elements(entries) with ordinality as one (entry, place))
 where entries <> '[]';
`;
