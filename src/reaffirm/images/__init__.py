"""What is known of container images, and the launch plans made from it. Pure."""
