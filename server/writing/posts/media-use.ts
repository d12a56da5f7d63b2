/** SQL: `versions` use the file in an item, or as the value of one of these options. Each alternative is an index scan. */
export const usesOf = (mediaId: string, optionKeys: string) => `versions @> any(
  array(select jsonb_build_array(jsonb_build_object('options', jsonb_build_object(key, ${mediaId})))
          from unnest(${optionKeys}::text[]) as key)
  || jsonb_build_array(jsonb_build_object('content', jsonb_build_array(jsonb_build_object('media',
       jsonb_build_array(${mediaId}))))))`;
