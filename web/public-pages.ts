/** Pages for people who are not signed in. */
const publicPages = /^\/(sign-in|sign-up|invitations|welcome|forgot-password|new-password|review)(\/|$)/;

export const isPublicPage = () => publicPages.test(location.pathname);

/** Sign in, and come back to where you were. */
export const signInPath = () => `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`;
