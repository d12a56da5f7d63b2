import type { Plugin, Rule } from 'postcss';

const rootPx = 16;
/** Text, and heights that must grow with it. */
const scaled = /^(font|font-size|line-height|(min-|max-)?height|grid-auto-rows|grid-template-rows|--.*-(fz|height).*)$/;
/** Hairlines stay: a border of 1 px looks right at every text size. */
const smallestPx = 8;

const toRem = (value: string) =>
  value.replace(/(?<![\w.-])(\d+(?:\.\d+)?)px/g, (text, px: string) =>
    Number(px) < smallestPx ? text : `${Number(px) / rootPx}rem`,
  );

const heightOf = (rule: Rule) => {
  let height: string | undefined;
  rule.walkDecls(/^(min-)?height$/, ({ value }) => {
    height = value;
  });
  return height;
};

/**
 * Browsers let people enlarge only the text, and only lengths in rem follow that setting. Stylesheets use the pixels of
 * the design, and the build converts text lengths to rem, so that no rule can forget it.
 */
export const textInRem = (): Plugin => ({
  postcssPlugin: 'text-in-rem',
  OnceExit: (sheet) => {
    sheet.walkRules((rule) => {
      const height = heightOf(rule);
      // A width equal to the height scales with it, so that circles and squares keep their shape.
      rule.walkDecls(/^(min-)?width$/, (declaration) => {
        if (declaration.value === height) declaration.value = toRem(declaration.value);
      });
      rule.walkDecls(scaled, (declaration) => {
        declaration.value = toRem(declaration.value);
      });
    });
  },
});
