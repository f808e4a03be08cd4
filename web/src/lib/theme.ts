/** The theme follows the system until someone chooses; the choice is remembered. */
export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const storageKey = "ringside.theme";

export function chosenTheme(): Theme {
  try {
    const stored = localStorage.getItem(storageKey);
    return themes.find((theme) => theme === stored) ?? "system";
  } catch {
    return "system"; // storage may be forbidden
  }
}

export function chooseTheme(theme: Theme): void {
  try {
    if (theme === "system") localStorage.removeItem(storageKey);
    else localStorage.setItem(storageKey, theme);
  } catch {
    // not remembered, still shown
  }
  show(theme);
}

const light = () => matchMedia("(prefers-color-scheme: light)");

function show(theme: Theme): void {
  const shown = theme === "system" ? (light().matches ? "light" : "dark") : theme;
  document.documentElement.dataset.theme = shown;
}

/** Called before the first paint. */
export function startTheme(): void {
  show(chosenTheme());
  light().addEventListener("change", () => show(chosenTheme()));
}
