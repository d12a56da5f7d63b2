import {
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type VariantColorsResolver,
} from '@mantine/core';

const token = (name: string) => `var(--${name})`;

/** Converts the design's pixels, so that text follows the browser's font size setting. */
const rem = (px: number) => `${px / 16}rem`;

const paint = (background: string, hover: string, color: string, border = 'transparent') => ({
  background,
  hover,
  color,
  border: `1px solid ${border}`,
});

/** `send` (brass) is only for what publishes or approves. */
const variantColorResolver: VariantColorsResolver = (input) => {
  switch (input.variant) {
    case 'send':
      return paint(token('brass'), token('brass-hover'), token('on-brass'));
    case 'ink':
      return paint(token('ink'), token('ink-hover'), token('on-ink'));
    case 'default':
      return paint(token('raised'), token('hover'), token('text'), token('line-2'));
    case 'quiet':
      return paint('transparent', token('hover'), token('text-2'));
    case 'danger':
      return paint(token('raised'), token('red-soft'), token('red'), token('red-line'));
    case 'danger-filled':
      return paint(token('red'), token('red'), token('sheet'));
    default:
      return defaultVariantColorsResolver(input);
  }
};

const buttonSizes: Record<string, [height: string, padding: string, font: string]> = {
  xs: [rem(28), '10px', rem(13)],
  sm: [rem(34), '12px', rem(14)],
  lg: [rem(40), '16px', rem(14)],
  xl: [rem(44), '16px', rem(15)],
};

const label = { fontSize: rem(13), lineHeight: rem(18), fontWeight: 550, marginBottom: 6, color: token('text') };
const help = { fontSize: rem(13), lineHeight: rem(18), marginTop: 6 };
const field = { styles: { label, description: { ...help, color: token('text-3') }, error: help } };
/**
 * People also write from right to left. A `dir` prop would end up on the wrapper with the label, so set it on the
 * input.
 */
const ownDirection = { input: { dir: 'auto' } };
const floating = { background: token('raised'), border: `1px solid ${token('line')}`, boxShadow: token('shadow-2') };

/** Keyed by name without imports, so that a page loads only the components it uses. */
export const theme = createTheme({
  fontFamily: "'Geist Variable', 'Geist Fallback', system-ui, sans-serif",
  fontFamilyMonospace: "'Geist Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(14), lg: rem(16), xl: rem(20) },
  lineHeights: { xs: rem(16), sm: rem(18), md: rem(20), lg: rem(24), xl: rem(28) },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  defaultRadius: 'md',
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  headings: { fontWeight: '600' },
  variantColorResolver,
  autoContrast: true,
  primaryShade: { light: 7, dark: 8 },
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Button: {
      defaultProps: { variant: 'default', size: 'sm' },
      styles: { root: { fontWeight: 550 }, section: { marginInlineEnd: 6 } },
      vars: (_theme: unknown, { size }: { size?: unknown }) => {
        const [height, padding, font] = buttonSizes[String(size)] ?? [rem(34), '12px', rem(14)];
        return { root: { '--button-height': height, '--button-padding-x': padding, '--button-fz': font } };
      },
    },
    ActionIcon: {
      defaultProps: { variant: 'quiet', size: 30 },
      // Icons do not grow with the text, so their buttons keep a size in px. That leaves more room for the text.
      vars: (_theme: unknown, { size }: { size?: unknown }) => ({ root: { '--ai-size': `${size}px` } }),
    },
    SegmentedControl: {
      defaultProps: { size: 'xs', withItemsBorders: false },
      styles: {
        root: { background: token('seg'), padding: 2 },
        indicator: { background: token('seg-on'), boxShadow: token('shadow-1') },
        label: { fontSize: rem(13), padding: '3px 10px', fontWeight: 500, color: token('text-2') },
      },
    },
    Input: { styles: { input: { background: token('raised'), borderColor: token('line-2') } } },
    TextInput: { defaultProps: { size: 'sm', inputWrapperOrder: order(), attributes: ownDirection }, ...field },
    PasswordInput: { defaultProps: { size: 'sm', inputWrapperOrder: order() }, ...field },
    Textarea: { defaultProps: { size: 'sm', inputWrapperOrder: order(), attributes: ownDirection }, ...field },
    Select: {
      defaultProps: { size: 'sm', inputWrapperOrder: order(), allowDeselect: false, checkIconPosition: 'right' },
      ...field,
    },
    Switch: {
      defaultProps: { size: 'sm', color: 'var(--green)', withThumbIndicator: false },
      styles: { label: { fontSize: rem(14) } },
    },
    Checkbox: {
      defaultProps: { color: 'var(--ink)', iconColor: 'var(--on-ink)', size: 'sm' },
      styles: { label: { fontSize: rem(14) }, description: { fontSize: rem(13), lineHeight: rem(18) } },
    },
    Radio: {
      defaultProps: { color: 'var(--ink)', iconColor: 'var(--on-ink)', size: 'sm' },
      styles: { label: { fontSize: rem(14) }, description: { fontSize: rem(13), lineHeight: rem(18) } },
    },
    Tooltip: {
      defaultProps: { openDelay: 400, withArrow: false },
      styles: { tooltip: { background: token('toast'), color: token('toast-text'), fontSize: rem(12) } },
    },
    Menu: {
      // The placeholder is not a menu item, which breaks role=menu; without it the first item gets the focus.
      defaultProps: { position: 'bottom-end', withInitialFocusPlaceholder: false },
      styles: { dropdown: floating, item: { fontSize: rem(14), minHeight: rem(32) } },
    },
    Popover: { styles: { dropdown: floating } },
    Tabs: { defaultProps: { color: 'var(--ink)' } },
    Modal: {
      defaultProps: {
        centered: true,
        padding: 20,
        radius: 'lg',
        closeButtonProps: { 'aria-label': 'Close' },
        overlayProps: { backgroundOpacity: 0.4 },
      },
      styles: {
        content: { background: token('sheet') },
        header: { background: token('sheet') },
        title: { minWidth: 0, fontSize: rem(20), lineHeight: rem(28), fontWeight: 600 },
      },
    },
    Drawer: {
      defaultProps: {
        position: 'right',
        padding: 16,
        closeButtonProps: { 'aria-label': 'Close' },
        overlayProps: { backgroundOpacity: 0.3 },
      },
      styles: {
        content: { background: token('sheet') },
        header: { background: token('sheet') },
        title: { minWidth: 0, fontSize: rem(16), lineHeight: rem(24), fontWeight: 600 },
      },
    },
  },
});

/** Descriptions below the field. */
function order(): ('label' | 'input' | 'description' | 'error')[] {
  return ['label', 'input', 'description', 'error'];
}

/** Mantine's dark greys have no blue in them, so menus, close buttons and unchecked boxes would stand out from the rest. */
const dark = {
  '--mantine-color-dark-0': token('text'),
  '--mantine-color-dark-1': token('text-2'),
  '--mantine-color-dark-2': token('text-3'),
  '--mantine-color-dark-3': token('text-3'),
  '--mantine-color-dark-4': token('active'),
  '--mantine-color-dark-5': token('active'),
  '--mantine-color-dark-6': token('raised'),
  '--mantine-color-dark-7': token('active'),
  '--mantine-color-dark-8': token('sunken'),
  '--mantine-color-dark-9': token('shell'),
};

/** Mantine's greys miss a contrast of 4.5:1. */
export const cssVariablesResolver: CSSVariablesResolver = () => {
  const both = {
    '--mantine-color-body': token('shell'),
    '--mantine-color-text': token('text'),
    '--mantine-color-dimmed': token('text-3'),
    '--mantine-color-placeholder': token('text-3'),
    '--mantine-color-default': token('raised'),
    '--mantine-color-default-border': token('line-2'),
    '--mantine-color-default-hover': token('hover'),
    '--mantine-color-default-color': token('text'),
    '--mantine-color-anchor': token('link'),
    '--mantine-color-error': token('red'),
    '--mantine-color-disabled': token('grey-soft'),
    '--mantine-color-disabled-color': token('text-3'),
  };
  return { variables: {}, light: both, dark: { ...both, ...dark } };
};
