import type { Option } from '#contracts/providers';
import type { Network } from './network.ts';

/** What may be done to a picture or video that breaks a limit. */
export const fitModes = ['shrink', 'pad', 'crop'] as const;
export type FitMode = (typeof fitModes)[number];

export const fitKey = ({ key }: Pick<Network, 'key'>) => `${key}.fit`;

export const cutKey = ({ key }: Pick<Network, 'key'>) => `${key}.cut`;

/**
 * Every network that accepts images or videos gets the option to fit them, and to cut videos where it limits their
 * length.
 */
export const withFit = (network: Network): Network => {
  const { images, videos } = network.constraints.media;
  if (images === undefined && videos === undefined) return network;
  const cut = videos?.maxDurationMs === undefined ? [] : [cutOption(network)];
  return { ...network, options: [...network.options, fitOption(network), ...cut] };
};

const fitOption = (network: Network): Option => ({
  key: fitKey(network),
  label: 'Fit pictures and videos',
  type: 'Choice',
  media: ['Image', 'Video'],
  choices: [
    { value: 'shrink', label: 'Make them smaller' },
    { value: 'pad', label: 'Make them smaller, with borders' },
    { value: 'crop', label: 'Make them smaller, and cut off the edges' },
  ],
  description: `What happens to a picture or video that breaks a limit of ${network.name}. Without it the post cannot go out. What is within the limits goes out as it is; animated pictures other than GIF are never changed.`,
});

const cutOption = (network: Network): Option => ({
  key: cutKey(network),
  label: 'Cut long videos',
  type: 'Boolean',
  media: ['Video'],
  description: `The end of a video that is too long for ${network.name} is cut off. Without it the post cannot go out.`,
});
