import { LinkedInPost, linkedin } from './linkedin.tsx';
import type { Renderer } from './model.ts';

export const linkedinPage: Renderer = {
  more: linkedin.more,
  View: (props) => <LinkedInPost {...props} isPage />,
};
