import type { Constraints, Option, ProviderLimits } from '#contracts/providers';

/** How to write the value of an option, by its type. */
const valueForms: Partial<Record<Option['type'], string>> = {
  Boolean: 'Boolean: true or false.',
  List: 'List: a,b.',
  Media: 'Media: a media id.',
  Poll: 'Poll: JSON {"choices":["A","B"],"durationMinutes":1440,"multiple":false,"hideTotals":false}.',
  Focus: 'Focus: JSON {"media_…":{"x":0,"y":0.5}}, each from -1 to 1.',
};

/** Stated once, because it would be the same for every network. */
const describeOptions = (options: readonly Option[]) =>
  [
    'Options: set them as <network>.<name>, value as text; * marks the default, ! what is required.',
    ...Object.entries(valueForms).flatMap(([type, form]) => (options.some((one) => one.type === type) ? [form] : [])),
    'fit changes files that break a limit, cut shortens a long video. detail: true says what each option does.',
  ].join(' ');

/** The limits in a few lines per network. posts.validate reports every limit that a post breaks. */
export const describeLimits = ({ providers }: { providers: readonly ProviderLimits[] }) =>
  [describeOptions(providers.flatMap(({ options }) => options)), ...providers.map(describeNetwork)].join('\n');

const describeNetwork = ({ network, constraints: { characters, media, thread, metrics }, options }: ProviderLimits) =>
  [
    `${network}: ${[
      `text ${describeCharacters(characters)}`,
      thread.max === 1 ? 'no threads' : `thread ${thread.max} (${thread.form})`,
      ...describeMedia(media),
      metrics.length > 0 ? `reports ${metrics.join(' ')}` : 'reports nothing',
    ].join('; ')}`,
    ...options.map((option) => ` ${describeOption(option, network)}`),
  ].join('\n');

const describeCharacters = ({ max, rule, links, maxBytes, countedOptions = [], required }: Constraints['characters']) =>
  [
    `${max} ${rule}`,
    ...(maxBytes === undefined ? [] : [`${maxBytes} bytes`]),
    ...(links ? [`a link is ${links.length}`] : []),
    ...(countedOptions.length > 0 ? [`with ${countedOptions.join(' ')}`] : []),
    ...(required ? ['required'] : []),
  ].join(', ');

const describeMedia = ({ min, max, mixed, images, videos, documents }: Constraints['media']) => {
  const kinds = [
    ...(images ? [`images ${files(images)}`] : []),
    ...(videos ? [`videos ${files(videos)}${lengths(videos)}`] : []),
    ...(documents ? [`documents ${files(documents)}`] : []),
  ];
  return [`media ${min === max ? max : `${min}-${max}`}${mixed ? ', may be mixed' : ''}`, ...kinds];
};

interface Files {
  readonly max: number;
  readonly mimeTypes: readonly string[];
  readonly maxBytes: number;
  readonly minRatio?: number | undefined;
  readonly maxRatio?: number | undefined;
}

const files = ({ max, mimeTypes, maxBytes, minRatio, maxRatio }: Files) =>
  [
    `${max}`,
    mimeTypes.map((type) => type.replace(/^\w+\/(?:x-)?/, '')).join(' '),
    `${Math.round(maxBytes / 100_000) / 10} MB`,
    ...(minRatio === undefined && maxRatio === undefined ? [] : [`ratio ${minRatio ?? ''}-${maxRatio ?? ''}`]),
  ].join(', ');

const lengths = ({ minDurationMs, maxDurationMs }: NonNullable<Constraints['media']['videos']>) =>
  minDurationMs === undefined && maxDurationMs === undefined
    ? ''
    : `, ${minDurationMs === undefined ? 'at most ' : `${minDurationMs / 1000}-`}${(maxDurationMs ?? 0) / 1000} s`;

const describeOption = (
  { key, type, choices, default: preset, required, maxLength, poll }: Option,
  network: string,
) => {
  const values = choices?.map(({ value, label }) => {
    // A number means nothing without its name.
    const name = /^\d+$/.test(value) ? `${value} ${label}` : value;
    return value === preset ? `${name}*` : name;
  });
  const isPreset = preset !== undefined && !choices;
  return [
    `${key.slice(network.length + 1)}${required ? '!' : ''}:`,
    values?.join(values.some((value) => value.includes(' ')) ? ', ' : ' ') ?? `${type}${isPreset ? ` ${preset}*` : ''}`,
    ...(maxLength === undefined ? [] : [`max ${maxLength}`]),
    ...(poll ? [`${poll.minChoices}-${poll.maxChoices} choices of ${poll.maxChoiceLength}`] : []),
  ].join(' ');
};
