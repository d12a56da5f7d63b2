import type { Option } from '#contracts/providers';
import type { Network } from './network.ts';

/** What may be done to a picture that breaks a limit. */
export const fitModes = ['shrink', 'pad', 'crop'] as const;
export type FitMode = (typeof fitModes)[number];

export const fitKey = ({ key }: Pick<Network, 'key'>) => `${key}.fit`;

/** Every network that takes pictures has the option to fit them. */
export const withFit = (network: Network): Network =>
  network.constraints.media.images === undefined
    ? network
    : { ...network, options: [...network.options, fitOption(network)] };

const fitOption = (network: Network): Option => ({
  key: fitKey(network),
  label: 'Fit pictures',
  type: 'Choice',
  choices: [
    { value: 'shrink', label: 'Make them smaller' },
    { value: 'pad', label: 'Make them smaller, with white borders' },
    { value: 'crop', label: 'Make them smaller, and cut off the edges' },
  ],
  description: `What happens to a picture that breaks a limit of ${network.name}. Without it the post cannot go out. A picture within the limits goes out as it is; videos and animated pictures are never changed.`,
});
