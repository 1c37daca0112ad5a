// Light or dark: the user's choice, otherwise the system's.
const KEY = 'outbox.theme';

export const theme = () =>
  localStorage.getItem(KEY) ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
const show = () => {
  document.documentElement.dataset.theme = theme();
};

export function toggleTheme() {
  localStorage.setItem(KEY, theme() === 'dark' ? 'light' : 'dark');
  show();
}

show();
