"""The paper: its theory at one point (`theory`), and its figures and tables as experiments (`registry`)."""
